// Events written before there were numbers wait for theirs like new ones.
MATCH (event:ChangeEvent)
WHERE event.seq IS NULL AND NOT event:Unsequenced
CALL (event) {
  SET event:Unsequenced, event.revision = coalesce(event.revision, 0)
} IN TRANSACTIONS OF 1000 ROWS
