// Counts the profiles of one series between two sort keys.
MATCH (p:Profile)
USING INDEX SEEK p:Profile(series, place)
WHERE p.series = $id AND p.place >= $from AND p.place < $to
RETURN count(p) AS total
