// Keeps what could not be delivered.
UNWIND $rows AS row
MERGE (failed:FailedDelivery {key: row.key})
SET failed = row.properties
RETURN row.at AS at
