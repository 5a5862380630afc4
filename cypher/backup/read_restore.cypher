// Answers when a restore was begun that has not come to its end.
MATCH (n:Restore {name: 'restore'})
RETURN n.startedAt AS startedAt
