"""Check blocks: python /work/wr/check.py FOLDER"""
import sys, pathlib, collections
folder = pathlib.Path(sys.argv[1]); rows = []; bad = []
for f in sorted(folder.glob("*.txt")):
    for i, block in enumerate(b for b in f.read_text("utf-8").split("\n\n") if b.strip()):
        lines = [l for l in block.strip().split("\n")]
        q = [l[3:].strip() for l in lines if l.startswith("Q: ")]; g = [l[3:].strip() for l in lines if l.startswith("G: ")]
        r = [l[3:].strip() for l in lines if l.startswith("+: ")]; w = [l[3:].strip() for l in lines if l.startswith("-: ")]
        if len(lines) != 10 or (len(q), len(g), len(r), len(w)) != (1, 1, 4, 4) or "\t" in block:
            bad.append(f"{f.name} block {i + 1}: {len(q)} Q, {len(g)} G, {len(r)} +, {len(w)} -, {len(lines)} lines: {lines[0][:60]}"); continue
        if len({g[0], *r, *w}) != 9: bad.append(f"{f.name} block {i + 1}: the same text twice: {q[0][:60]}"); continue
        rows.append((q[0], g[0], *r, *w))
twice = [q for q, n in collections.Counter(r[0].lower() for r in rows).items() if n > 1]
n = lambda k: sum(len(t.split()) for r in rows for t in r[2+4*k:6+4*k]) / max(1, 4*len(rows))
print(len(rows), "questions;", "mean words right %.1f wrong %.1f" % (n(0), n(1))); print("\n".join(bad + [f"question twice: {q}" for q in twice]))
