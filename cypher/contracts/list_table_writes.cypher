// Answers when a table was written to last, up to a moment, as the system that holds it tells it, the newest first. The
// places of what was measured count down.
MATCH (p:Profile)
USING INDEX SEEK p:Profile(series, place)
WHERE p.series = 's ' + $id AND p.place >= 's ' + right('000000000000000' + toString(9007199254740991 - toInteger($until)), 16)
  AND any(word IN ['INSERT', 'UPDATE', 'WRITE'] WHERE p.json CONTAINS '"operation":"' + word + '"')
WITH p ORDER BY p.series, p.place
LIMIT toInteger($limit)
RETURN p.timestamp AS timestamp
