// Events of an older program do not say which other records they tell of. Those of lineage are told only to whoever may see every table.
MATCH (event:ChangeEvent)
WHERE event.ends IS NULL
CALL (event) {
  SET event.ends = CASE WHEN event.eventType STARTS WITH 'entityLineage' THEN ['table unknown'] ELSE [] END
} IN TRANSACTIONS OF 10000 ROWS
