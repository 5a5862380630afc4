// Returns the remaining milliseconds of the write pause.
MATCH (pause:WritePause {name: 'backup'})
RETURN pause.until - timestamp() AS remainingMs
