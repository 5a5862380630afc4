// Marks the store as incomplete until the restore has finished.
MERGE (n:Restore {name: 'restore'})
SET n.startedAt = timestamp()
