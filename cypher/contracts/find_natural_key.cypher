// Finds contracts by their natural key: the ID of the record that a contract is about.
UNWIND $rows AS row
MATCH (n:DataContract {twinKey: row.key})
RETURN row.at AS at, n.id AS id
