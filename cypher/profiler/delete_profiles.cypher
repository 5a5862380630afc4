// Removes profiles by their places, some of which may be gone already.
UNWIND $rows AS row
MATCH (p:Profile {place: row.place})
DETACH DELETE p
RETURN row.at AS at
