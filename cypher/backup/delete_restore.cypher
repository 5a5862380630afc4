// Marks the store as complete.
MATCH (n:Restore {name: 'restore'})
DELETE n
