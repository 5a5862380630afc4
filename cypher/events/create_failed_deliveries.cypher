// Stores failed deliveries.
UNWIND $rows AS row
MERGE (failed:FailedDelivery {key: row.key})
SET failed = row.properties
RETURN row.at AS at
