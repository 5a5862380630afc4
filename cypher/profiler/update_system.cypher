// Stores system profiles of tables; one with the same timestamp and operation is replaced.
UNWIND $rows AS row
MATCH (n:Entity {id: row.id})
MERGE (p:Profile {place: row.place})
SET p:SystemProfile, p.series = row.series, p.tableId = row.id, p.timestamp = row.timestamp, p.json = row.json
MERGE (n)-[:HAS_PROFILE]->(p)
RETURN row.at AS at
