// Answers for how many more milliseconds a backup holds all writes back.
MATCH (pause:WritePause {name: 'backup'})
RETURN pause.until - timestamp() AS remainingMs
