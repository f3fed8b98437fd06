module Invoice
  ( Item (..)
  , Cents
  , amount
  , renderItem
  , renderTotal
  ) where

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
  right 5 (show (position i)) ++ "  " ++ left 14 (article i)
    ++ " " ++ right 4 (show (quantity i)) ++ " x " ++ right 6 (money (price i))
    ++ " = " ++ right 9 (money (amount i))

renderTotal :: Int -> Cents -> String
renderTotal n total =
  right 5 (show n) ++ "  " ++ left 14 "positions" ++ " " ++ right 24 (money total)

money :: Cents -> String
money c = show (c `div` 100) ++ "." ++ (if cents < 10 then "0" else "") ++ show cents
  where
    cents = c `mod` 100

left, right :: Int -> String -> String
left  n s = s ++ replicate (n - length s) ' '
right n s = replicate (n - length s) ' ' ++ s
