// Keeps what was measured of columns; what was measured at the same moment is replaced. A column is given its series when it
// is first measured and keeps it whatever it is called later.
UNWIND $rows AS row
MATCH (c:Column {key: row.column})
SET c.profileSeries = coalesce(c.profileSeries, row.fresh)
WITH row, c
MERGE (p:Profile {place: row.moment + c.profileSeries})
SET p:ColumnProfile, p.series = c.profileSeries, p.tableId = row.id, p.timestamp = row.timestamp, p.json = row.json
MERGE (c)-[:HAS_PROFILE]->(p)
RETURN row.at AS at
