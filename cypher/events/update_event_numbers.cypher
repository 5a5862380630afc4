// Assigns the next numbers to events, unless another process has assigned numbers in the meantime. The counter is
// locked before it is compared.
MERGE (counter:Sequence {name: $name})
SET counter.touchedAt = timestamp()
WITH counter
WHERE coalesce(counter.last, 0) = $last
SET counter.last = $next
WITH counter
UNWIND $rows AS row
MATCH (event:ChangeEvent {id: row.id})
WHERE event:Unsequenced
SET event.seq = row.seq, event.place = row.place
REMOVE event:Unsequenced
RETURN count(*) AS numbered
