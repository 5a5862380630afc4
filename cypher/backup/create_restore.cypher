// Marks the store as incomplete until the restore has come to its end.
MERGE (n:Restore {name: 'restore'})
SET n.startedAt = timestamp()
