// Answers the last number that was given, and the first of those whose events are still kept.
MATCH (counter:Sequence {name: $name})
RETURN coalesce(counter.last, 0) AS last, coalesce(counter.first, 1) AS first
