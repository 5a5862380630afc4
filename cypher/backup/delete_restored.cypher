// Removes what a restore has made that did not come to its end.
MATCH (n)
WHERE NOT n:Restore
CALL (n) {
  DETACH DELETE n
} IN TRANSACTIONS OF 5000 ROWS
