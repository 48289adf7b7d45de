"""The systems for users, by use, each with its purpose in one line."""

from __future__ import annotations

NO_TRAINING = {
    "minilm-hybrid": "cosine plus MaxSim of all-MiniLM-L6-v2; the default of rankers.rank",
    "minilm-reranker": "the same with an adapter that was trained for ranking and ships",
    "minilm-maxsim": "MaxSim of the token states alone",
    "minilm-biencoder": "cosine of the vectors alone; one vector per text",
    "word-overlap": "the share of the words of the question; needs no torch",
}
WORD_COUNTS = {
    "bm25": "BM25 by the word counts of the training answers; rankers.rank counts in the candidates",
}
SMALL = {
    "match-pyramid": "a picture of word similarities; the fastest to train",
    "dmn": "Deep Matching Network: the same with a GRU",
    "man": "Multihop Attention Network; the best of the three small networks on the toy set",
    "man-advcom": "a committee of its states from a training against a generator",
    "qa-lstm": "an LSTM for each text, and the cosine of both",
    "ggsa": "gated group self-attention in place of the LSTM",
    "iggsa": "the same, with the answer read together with the question",
}
ENCODERS = {
    "late-interaction": "MaxSim over the token states of an encoder, trained",
    "hybrid": "the same plus the cosine of the vectors; adapts the last layers",
    "addax": "late interaction by almost binary codes; reads both texts together",
    "ce-plain": "a cross-encoder, fine-tuned on your questions alone",
    "tanda": "the same after a training on another corpus",
    "scan": "TANDA with weighted samples and a branch against language bias",
}

USES = {
    "Rank without training (rankers rank FILE --model NAME)": NO_TRAINING,
    "Count words first (rankers train NAME --data TABLE --folder F)": WORD_COUNTS,
    "Train a small network, from minutes on a CPU (rankers train NAME --data TABLE --dev TABLE --folder F)": SMALL,
    "Train on top of a pre-trained encoder; --device cuda uses a GPU (the same command)": ENCODERS,
}
