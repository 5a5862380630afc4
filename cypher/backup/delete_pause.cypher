// Lets all writes go on.
MATCH (pause:WritePause {name: 'backup', holder: $holder})
DELETE pause
