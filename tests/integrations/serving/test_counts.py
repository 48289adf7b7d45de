"""The text format of Prometheus."""

from __future__ import annotations

from answersim.integrations.serving.counts import BOUNDS, Counts


def test_the_buckets_of_a_histogram_are_cumulative() -> None:
    counts = Counts('a "signature"')
    for seconds in (0.001, 0.005, 0.3, 1000.0):
        counts.request("/score", 200, seconds)
    lines = counts.text().splitlines()
    assert 'answersim_request_seconds_bucket{le="0.005"} 2' in lines
    assert f'answersim_request_seconds_bucket{{le="{BOUNDS[-1]}"}} 3' in lines
    assert 'answersim_request_seconds_bucket{le="+Inf"} 4' in lines
    assert "answersim_request_seconds_sum 1000.306000" in lines
    assert 'answersim_info{signature="a \\"signature\\""} 1' in lines


def test_each_name_has_a_type() -> None:
    lines = Counts("x").text().splitlines()
    assert all(line.startswith(("#", "answersim_")) for line in lines)
    assert len([line for line in lines if line.startswith("# TYPE")]) == 7
