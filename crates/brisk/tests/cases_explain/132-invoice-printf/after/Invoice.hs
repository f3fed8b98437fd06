module Invoice (Invoice (..), sampleInvoices, amount) where

data Invoice = Invoice
  { number :: !Int
  , customer :: String
  , quantity :: !Int
  , unitCents :: !Int
  }

amount :: Invoice -> Int
amount i = quantity i * unitCents i

customers :: [String]
customers = ["Miller & Sons", "Nordwind", "Acme", "Bakery Ost", "Corner Shop", "Lindqvist AB"]

sampleInvoices :: Int -> [Invoice]
sampleInvoices n = zipWith make [1 .. n] (cycle customers)
  where
    make k name = Invoice
      { number = k
      , customer = name
      , quantity = k * 7919 `mod` 23 + 1
      , unitCents = k * 104729 `mod` 9973 + 99
      }
