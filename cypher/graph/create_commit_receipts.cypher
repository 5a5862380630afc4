// Creates the receipts of a transaction, so that a retry after its commit fails here.
UNWIND $ids AS id
CREATE (receipt:Receipt {id: id, createdAt: timestamp()})
RETURN receipt.id AS id
