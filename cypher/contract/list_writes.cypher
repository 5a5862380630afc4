// Answers when a table was written to last, as the system that holds it tells it, the newest first.
MATCH (p:Profile)
USING INDEX SEEK p:Profile(series, place)
WHERE p.series = 's ' + $id AND p.place >= ''
  AND any(word IN ['INSERT', 'UPDATE', 'WRITE'] WHERE p.json CONTAINS '"operation":"' + word + '"')
WITH p ORDER BY p.series, p.place
LIMIT toInteger($limit)
RETURN p.timestamp AS timestamp
