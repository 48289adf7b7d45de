"""Seeded fuzzing of the public functions and commands; ``python -m tests.fuzz`` prints a table of figures.

A hostile review of commit f618c67c found 15 faults. These tests and areas of the fuzz show that each one is gone:

- T1, two candidates are paid: ``test_a_second_guess_beside_the_right_one_is_not_right``,
  ``test_a_wrong_form_is_not_paid``, ``test_several_marked_answers_are_right_only_as_the_list_of_the_gold_answer``, and
  the areas ``hostile: two candidates`` and ``hostile: lists``.
- T2, hidden, denied and related answers are paid: ``test_a_wrong_form_is_not_paid``, ``test_forms_of_other_writers``,
  and the areas ``hostile: hidden``, ``hostile: denials``, ``hostile: relations`` and ``hostile: claims``.
- T3, one completion blocks a reward: ``test_each_pattern_needs_linear_time``, ``test_each_reader_needs_linear_time``,
  ``test_a_long_output_takes_a_fraction_of_a_second``, ``test_the_limit_holds_inside_a_row``.
- T4, markup takes quadratic time: ``test_a_long_output_takes_a_fraction_of_a_second``,
  ``test_each_reader_needs_linear_time``.
- T5, a prompt that is not in its query:
  ``test_a_prompt_of_openrlhf_that_is_not_in_its_query_is_a_row_without_a_reward``.
- T6, an explanation overwrites the answer: ``test_the_final_answer_of_a_text``, ``test_a_wrong_form_is_not_paid``.
- T7, an aside, a reason or a rejected option is not read: ``test_a_wrong_form_is_not_paid``,
  ``test_an_option_that_a_text_rejects_is_not_chosen``, and the area ``hostile: takes back``.
- T8, equal on partial evidence: ``test_what_no_rule_knows_has_no_relation``,
  ``test_another_value_symbol_letter_or_order_is_different``, ``test_the_same_words_in_another_order_are_undecided``.
- T9, narrow intervals: ``test_intervals_of_unequal_clusters_and_weights_cover``,
  ``test_bad_input_is_refused_by_name`` (an inclusion below 1e-6), and the grid ``benchmarks.interval_grids``.
- T10, work of one request: ``test_a_row_with_50_000_gold_answers_has_no_reward_and_the_others_are_scored``,
  ``test_bodies_of_many_values_are_refused``, ``test_900_half_open_requests_end_and_others_are_answered_meanwhile``,
  ``test_rows_beyond_the_limits_have_no_reward_and_the_others_are_scored``,
  ``test_memory_of_waiting_requests_has_a_limit``.
- T11, half a surrogate in the name of a model: ``test_half_a_surrogate_pair_in_the_name_of_the_model_is_recorded``.
- T12, honest frames are refused: ``test_an_honest_form_is_paid``, ``test_forms_of_other_writers``, the area ``honest``.
- T13, a plan without a sheet: ``test_the_plan_is_written_last_and_a_full_disk_leaves_neither``.
- T14, the key of the judge: ``test_a_server_gets_its_own_key_and_none_over_plain_http_to_another_host``.
- T15, labels of 2: ``test_bad_input_is_refused_by_name``, ``test_bad_labels_are_refused``.
"""
