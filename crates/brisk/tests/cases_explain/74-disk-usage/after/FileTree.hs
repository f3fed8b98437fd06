module FileTree (Node (..), inventTree) where

data Node
  = File { nodeName :: String, fileSize :: !Int }
  | Dir  { nodeName :: String, children :: [Node] }

-- | A made-up mail store of about the given number of messages: a few accounts,
-- each with some mailboxes, and all messages of a mailbox in one directory.
inventTree :: Int -> Node
inventTree count = Dir "mail" [account k | k <- [1 .. 3]]
  where
    account k = Dir ("account" ++ show k) (File "rules.hs" 900 : [mailbox (k * 10 + j) | j <- [1 .. 2]])
    mailbox s = Dir ("box" ++ show s) [message (s * 31337 + i) | i <- [1 .. count `div` 6]]
    message s = File (nameOf (s `mod` 3)) ((s * 7919) `mod` 40961)
    nameOf :: Int -> String
    nameOf 0 = "filter.hs"
    nameOf 1 = "message.eml"
    nameOf _ = "photo.jpg"
