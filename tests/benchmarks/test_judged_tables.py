"""The tables of the comparison: rows, notes and numbers."""

import answersim
from benchmarks import judged_costs
from benchmarks.judged_quality import gaps, judged, qualities, system_orders
from benchmarks.judged_scores import columns_of, sentinels
from benchmarks.judged_tables import tables
from tests.benchmarks.judged_samples import ANSWERS, metrics


class TestTables:
    def rows(self, name):
        columns = [*columns_of(ANSWERS, {**metrics("f1"), "sas": answersim.metric("em")}), *sentinels(ANSWERS)]
        arrays = judged(name, ANSWERS, 20)
        return list(qualities(arrays, columns)), gaps(arrays, columns, "f1"), system_orders(arrays, columns)

    def test_a_set_has_four_tables_and_its_use_as_a_note(self):
        found = list(tables(*self.rows("evouna-dev"), costs=[]))
        assert [table.title.split(": ", 1)[1] for table in found] == [
            "40 answers to 20 questions, 87.5% of them correct",
            "by the length of the predicted answer",
            "the order of 2 systems, 20 questions",
            "difference from f1, on the same answers",
        ]
        assert all(table.title.startswith("TriviaQA (EVOUNA), dev (not held out)") for table in found)
        assert found[0].notes[:2] == (
            "NOT held out: it chose settings, and the weights of answersim were fitted on it",
            "sas learned from EVOUNA: train: its adapter; dev: settings",
        )
        assert [row[0] for row in found[0].rows] == ["f1", "sas", "length", "consensus", "constant"]
        assert [row[0] for row in found[3].rows] == ["sas"]
        assert "correct answers: one 100.0%, two 75.0%" in found[2].notes

    def test_a_held_out_set_and_the_weights_of_the_paper_have_no_such_note(self):
        main = next(tables(*self.rows("evouna-test"), costs=[], profile="paper"))
        assert main.title.startswith("TriviaQA (EVOUNA), test: ")
        assert not any("learned from" in note for note in main.notes)

    def test_costs_are_shown_with_the_held_out_sets_only(self):
        rows = [list(both) for both in zip(*(self.rows(name) for name in ("evouna-test", "evouna-dev")), strict=True)]
        costs = list(judged_costs.costs(ANSWERS, metrics("f1"), 4))
        *_, last = tables([row for part in rows[0] for row in part], [], [], costs)
        assert [column.name for column in last.columns] == [
            *("metric", "evouna-test", "pairs/s", "pairs/CPU s", "sequences", "MB")
        ]
        assert "f1: f1|text:en|rev:1" in last.notes
