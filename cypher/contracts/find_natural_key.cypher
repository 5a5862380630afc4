// Answers the contracts about records, by what tells them apart: the ids of those records.
UNWIND $rows AS row
MATCH (n:DataContract {twinKey: row.key})
RETURN row.at AS at, n.id AS id
