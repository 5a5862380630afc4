// Answers the queries of a service that have the given texts, by what tells them apart.
UNWIND $rows AS row
MATCH (n:Query {twinKey: row.key})
RETURN row.at AS at, n.id AS id
