// Returns when an unfinished restore began.
MATCH (n:Restore {name: 'restore'})
RETURN n.startedAt AS startedAt
