module Account where

data Booking = Booking
  { day     :: !Int
  , partner :: !String
  , cents   :: !Int
  }

bookings :: Int -> [Booking]
bookings n =
  [ Booking { day = i `mod` 365, partner = name i, cents = amount i }
  | i <- [1 .. n] ]
  where
    name i   = names !! (i * 7 `mod` length names)
    amount i = (i * 7919 `mod` 200000) - 90000
    names    = ["Bakery Holm", "City Works", "Rent Office", "Salary", "Book Corner"]
