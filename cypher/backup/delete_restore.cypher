// The store is complete.
MATCH (n:Restore {name: 'restore'})
DELETE n
