// Deletes profiles by sort key; some may already be deleted.
UNWIND $rows AS row
MATCH (p:Profile {place: row.place})
DETACH DELETE p
RETURN row.at AS at
