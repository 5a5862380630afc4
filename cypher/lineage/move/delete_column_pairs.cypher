// Deletes the column pairs of present edges.
UNWIND $rows AS row
MATCH ()-[pair:DERIVES {edgeId: row.edgeId}]->()
DELETE pair
RETURN DISTINCT row.at AS at
