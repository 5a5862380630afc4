// Ends the write pause.
MATCH (pause:WritePause {name: 'backup', holder: $holder})
DELETE pause
