module Payments (Payment (..), payments, dailyRates) where

import Currency (Rate (..))

data Payment = Payment { payCode :: String, payCents :: !Int }

codes :: [String]
codes = [ [a, b, c] | a <- "AEGS", b <- "BDNRU", c <- "DKLPRY" ]

payments :: Int -> [Payment]
payments n = zipWith pay [1 .. n] (cycle ("XXX" : codes))
  where pay k c = Payment c (k * 7907 `mod` 100019 - 40)

dailyRates :: [Rate]
dailyRates = zipWith rate [1 ..] codes
  where rate k c = Rate c (k * 9973 `mod` 4001 + 200)
