// Pauses all writes for a limited time unless another backup already does.
MERGE (pause:WritePause {name: 'backup'})
SET pause.name = 'backup'
WITH pause, coalesce(pause.until, 0) < timestamp() OR pause.holder = $holder AS isFree
SET pause.holder = CASE WHEN isFree THEN $holder ELSE pause.holder END,
  pause.until = CASE WHEN isFree THEN timestamp() + $forMs ELSE pause.until END
RETURN isFree
