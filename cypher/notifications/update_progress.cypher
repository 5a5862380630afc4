// Says how far people have been told, unless somebody else has gone on meanwhile. The lock comes before the look.
MATCH (progress:Progress {name: $name})
SET progress.touchedAt = timestamp()
WITH progress
WHERE progress.step = $step
SET progress.step = progress.step + 1, progress.seq = $seq, progress.begun = $begun, progress.toldUntil = $toldUntil
RETURN progress.step AS step
