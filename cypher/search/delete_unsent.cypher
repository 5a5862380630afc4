// Removes the notes on records that have been sent as they are; one that has changed meanwhile keeps its note. Whoever notes something holds the same lock: what is written to a note that has gone meanwhile is lost without a word.
MATCH (feeding:Feeding {name: 'typesense'})
SET feeding.turn = 0
WITH feeding
UNWIND $rows AS row
MATCH (unsent:Unsent {entityId: row.id})
WHERE unsent.times = row.times
DELETE unsent
RETURN row.id AS id
