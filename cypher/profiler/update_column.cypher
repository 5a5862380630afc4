// Stores profiles of columns; a profile with the same timestamp is replaced. A column gets its series with its first
// profile and keeps it when it is renamed. What was measured while the column was labelled as sensitive stays so.
UNWIND $rows AS row
MATCH (c:Column {key: row.column})
SET c.profileSeries = coalesce(c.profileSeries, row.fresh),
  c.sensitiveUntil = CASE
    WHEN row.isSensitive AND coalesce(c.sensitiveUntil, row.timestamp) <= row.timestamp THEN row.timestamp
    ELSE c.sensitiveUntil
  END
WITH row, c
MERGE (p:Profile {place: row.moment + c.profileSeries})
SET p:ColumnProfile, p.series = c.profileSeries, p.tableId = row.id, p.timestamp = row.timestamp, p.json = row.json
MERGE (c)-[:HAS_PROFILE]->(p)
RETURN row.at AS at
