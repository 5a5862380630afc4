// Reads the last number that was assigned, and the first whose event is still stored.
MATCH (counter:Sequence {name: $name})
RETURN coalesce(counter.last, 0) AS last, coalesce(counter.first, 1) AS first
