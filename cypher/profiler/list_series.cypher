// Lists a page of one series between two sort keys, newest first.
MATCH (p:Profile)
USING INDEX SEEK p:Profile(series, place)
WHERE p.series = $id AND p.place >= $from AND p.place < $to
WITH p ORDER BY p.series, p.place
LIMIT toInteger($limit)
RETURN p.place AS place, p.tableId AS tableId, null AS key, p.json AS json
