// Records that events below a number are no longer stored.
MERGE (counter:Sequence {name: $name})
SET counter.touchedAt = timestamp()
WITH counter
SET counter.first = CASE WHEN coalesce(counter.first, 1) < $first THEN toInteger($first) ELSE counter.first END
RETURN counter.first AS first
