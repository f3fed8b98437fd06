module Bank where

import Control.Concurrent.STM
import qualified Data.IntMap.Strict as IM

data Account = Account
  { balance  :: TVar Int
  , bookings :: TVar Int
  }

type Branch = IM.IntMap Account

data Posting = Posting
  { target :: !Int
  , amount :: !Int
  }

openBranch :: [Int] -> IO Branch
openBranch ids = IM.fromList <$> mapM open ids
  where
    open i = do
      b <- newTVarIO 0
      k <- newTVarIO 0
      return (i, Account b k)

post :: Branch -> Posting -> STM ()
post branch p = case IM.lookup (target p) branch of
  Nothing  -> return ()
  Just acc -> do
    modifyTVar' (balance acc) (+ amount p)
    modifyTVar' (bookings acc) (+ 1)

postAll :: Branch -> [Posting] -> IO ()
postAll branch ps = mapM_ (atomically . post branch) ps

statement :: Branch -> Int -> IO (Int, Int)
statement branch i = case IM.lookup i branch of
  Nothing  -> return (0, 0)
  Just acc -> (,) <$> readTVarIO (balance acc) <*> readTVarIO (bookings acc)
