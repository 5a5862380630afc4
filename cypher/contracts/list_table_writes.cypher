// Lists when a table was last written to, up to a moment, as its source system reports it, newest first. Sort keys
// contain inverted timestamps, so ascending order is newest first.
MATCH (p:Profile)
USING INDEX SEEK p:Profile(series, place)
WHERE p.series = 's ' + $id AND p.place >= 's ' + right('000000000000000' + toString(9007199254740991 - toInteger($until)), 16)
  AND any(word IN ['INSERT', 'UPDATE', 'WRITE'] WHERE p.json CONTAINS '"operation":"' + word + '"')
WITH p ORDER BY p.series, p.place
LIMIT toInteger($limit)
RETURN p.timestamp AS timestamp
