// A result of a contract is found by its id, which no other result of the contract has.
CREATE CONSTRAINT contract_result_id IF NOT EXISTS FOR (result:ContractResult) REQUIRE result.ownKey IS UNIQUE
