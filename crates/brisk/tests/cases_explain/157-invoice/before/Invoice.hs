module Invoice
  ( Item (..)
  , Cents
  , amount
  , renderItem
  , renderTotal
  ) where

import Text.Printf (printf)

type Cents = Int

data Item = Item
  { position :: !Int
  , article  :: String
  , quantity :: !Int
  , price    :: !Cents
  }

amount :: Item -> Cents
amount i = quantity i * price i

renderItem :: Item -> String
renderItem i =
  printf "%5d  %-14s %4d x %6s = %9s"
    (position i) (article i) (quantity i) (money (price i)) (money (amount i))

renderTotal :: Int -> Cents -> String
renderTotal n total =
  printf "%5d  %-14s %24s" n "positions" (money total)

money :: Cents -> String
money c = printf "%d.%02d" (c `div` 100) (c `mod` 100)
