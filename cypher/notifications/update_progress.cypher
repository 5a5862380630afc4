// Stores the progress of the notification writer, unless another process has continued in the meantime. The lock comes
// before the check.
MATCH (progress:Progress {name: $name})
SET progress.touchedAt = timestamp()
WITH progress
WHERE progress.step = $step
SET progress.step = progress.step + 1, progress.seq = $seq, progress.begun = $begun, progress.toldUntil = $toldUntil
RETURN progress.step AS step
