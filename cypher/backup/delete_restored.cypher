// Deletes what an unfinished restore created.
MATCH (n)
WHERE NOT n:Restore
CALL (n) {
  DETACH DELETE n
} IN TRANSACTIONS OF 5000 ROWS
