// Leaves receipts of a transaction; sent again after it took place, it fails here.
UNWIND $ids AS id
CREATE (receipt:Receipt {id: id, createdAt: timestamp()})
RETURN receipt.id AS id
