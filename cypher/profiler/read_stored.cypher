// Reads the profiles stored at given sort keys, or of given columns at given timestamps.
UNWIND $rows AS row
OPTIONAL MATCH (c:Column {key: row.column})
WITH row, CASE WHEN row.column IS NULL THEN row.place ELSE row.moment + c.profileSeries END AS place
MATCH (p:Profile {place: place})
RETURN row.at AS at, p.json AS json
