// Takes labels off columns.
UNWIND $rows AS row
MATCH (:Column {key: row.key})-[label:TAGGED]->(:Entity {id: row.tagId})
DELETE label
RETURN row.at AS at
