// Counts the profiles of one column between two sort keys.
MATCH (c:Column {key: $id})
MATCH (p:Profile)
USING INDEX SEEK p:Profile(series, place)
WHERE p.series = c.profileSeries AND p.place >= $from AND p.place < $to
RETURN count(p) AS total
